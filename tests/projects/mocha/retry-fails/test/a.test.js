const assert = require('node:assert');
it('flaky', function () { this.retries(2); throw new Error('again'); });
it('steady', () => {});
