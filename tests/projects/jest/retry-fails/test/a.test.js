jest.retryTimes(2);
test('flaky', () => { throw new Error('again'); });
test('steady', () => {});
