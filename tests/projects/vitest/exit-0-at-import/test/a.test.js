import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
process.exit(0);
test('never runs', () => {});
