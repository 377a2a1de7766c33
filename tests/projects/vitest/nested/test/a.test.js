import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
describe('a', () => {
  describe('b', () => {
    describe('c', () => {
      it('deep', () => {});
    });
    it('middle', () => {});
  });
  it('top', () => {});
});
