import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
describe('suite', () => {
  afterAll(() => { throw new Error('cannot clean up'); });
  it('one', () => {});
});
