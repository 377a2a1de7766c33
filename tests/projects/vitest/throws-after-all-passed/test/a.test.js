import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('starts a timer', () => { setTimeout(() => { throw new Error('too late'); }, 0); });
