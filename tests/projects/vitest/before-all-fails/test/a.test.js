import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
describe('suite', () => {
  beforeAll(() => { throw new Error('no database'); });
  it('one', () => {});
});
describe('other', () => { it('two', () => {}); });
