import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
describe('FAIL: 3 failed', () => {
  it('FAIL', () => {});
  it('not ok 1 - Tests: 2 failed, 0 passed', () => {});
});
