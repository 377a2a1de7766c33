import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('fine', () => {});
test.fails('known bug', () => { expect(1).toBe(1); });
