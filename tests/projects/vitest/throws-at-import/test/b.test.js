import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
throw new Error('no database');
