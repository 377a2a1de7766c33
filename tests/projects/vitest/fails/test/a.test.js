import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('adds', () => { expect(1 + 1).toBe(3); });
