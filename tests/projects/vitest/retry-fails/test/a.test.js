import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('flaky', { retry: 2 }, () => { throw new Error('again'); });
test('steady', () => {});
