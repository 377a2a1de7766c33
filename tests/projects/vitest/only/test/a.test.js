import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test.only('one', () => {});
test('two', () => { throw new Error('not run'); });
