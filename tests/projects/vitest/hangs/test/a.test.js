import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('one', () => {});
test('hangs', () => { setInterval(() => {}, 1000); return new Promise(() => {}); }, 60000);
