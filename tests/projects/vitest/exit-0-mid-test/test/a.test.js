import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('one', () => {});
test('quits', () => { process.exit(0); });
test('never runs', () => {});
