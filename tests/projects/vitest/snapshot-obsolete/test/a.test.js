import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('shape', () => { expect('same').toMatchSnapshot(); });
