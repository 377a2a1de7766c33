import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
describe('suite', () => {
  beforeEach(() => { throw new Error('no database'); });
  it('one', () => {});
});
