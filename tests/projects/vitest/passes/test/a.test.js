import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('one', () => {});
test('two', async () => { expect(1).toBe(1); });
