import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
describe('suite', () => {
  afterEach(() => { throw new Error('cannot clean up'); });
  it('one', () => {});
});
