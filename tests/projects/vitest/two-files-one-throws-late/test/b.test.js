import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('two', () => { Promise.reject(new Error('left behind')); });
