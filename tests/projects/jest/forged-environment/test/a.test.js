test('looks', () => { expect(process.env.PROCTOR_CHANNEL).toBe(undefined); });
