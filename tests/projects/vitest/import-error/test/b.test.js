import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { x } from './missing.js';
test('three', () => { x(); });
