import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
describe('b', () => {
  it('four', () => {});
  it('five', () => { expect(2).toBe(5); });
});
