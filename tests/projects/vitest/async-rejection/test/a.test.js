import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('rejects', async () => { await Promise.reject(new Error('refused')); });
