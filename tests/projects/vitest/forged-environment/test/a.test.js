import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('looks', () => { expect(process.env.PROCTOR_CHANNEL).toBe(undefined); });
