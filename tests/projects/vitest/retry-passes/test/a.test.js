import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
let tries = 0;
test('flaky', { retry: 2 }, () => { tries += 1; if (tries < 2) throw new Error(`try ${tries}`); });
test('steady', () => {});
