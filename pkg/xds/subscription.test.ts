import { describe, expect, test } from '@jest/globals';
import { Subscription } from './subscription.ts';

const nothing = { answer: [], answerAll: false, forget: [], forgetUnnamed: false };

describe('Subscription in the delta protocol', () => {
  test('an empty first request asks for everything', () => {
    const subscription = new Subscription();
    expect(subscription.applyDelta([], [])).toEqual({ ...nothing, answerAll: true });
    expect(subscription.wants('any')).toBe(true);
  });

  test('an empty later request asks for nothing new', () => {
    const subscription = new Subscription();
    subscription.applyDelta(['a'], []);
    expect(subscription.applyDelta([], [])).toEqual(nothing);
    expect(subscription.wants('b')).toBe(false);
  });

  test('a name that is subscribed again is answered again', () => {
    const subscription = new Subscription();
    subscription.applyDelta(['a'], []);
    expect(subscription.applyDelta(['a'], [])).toEqual({ ...nothing, answer: ['a'] });
  });

  test('names beside the wildcard do not end it', () => {
    const subscription = new Subscription();
    subscription.applyDelta([], []);
    expect(subscription.applyDelta(['a'], [])).toEqual({ ...nothing, answer: ['a'] });
    expect(subscription.wants('b')).toBe(true);
  });

  test('the legacy wildcard ends when * is unsubscribed, and named resources stay', () => {
    const subscription = new Subscription();
    subscription.applyDelta([], []);
    subscription.applyDelta(['a'], []);
    expect(subscription.applyDelta([], ['*'])).toEqual({ ...nothing, forgetUnnamed: true });
    expect(subscription.wants('a')).toBe(true);
    expect(subscription.wants('b')).toBe(false);
  });

  test('* beside names asks for everything', () => {
    const subscription = new Subscription();
    expect(subscription.applyDelta(['*', 'a'], [])).toEqual({ ...nothing, answer: ['a'], answerAll: true });
    expect([...subscription.names]).toEqual(['a']);
  });

  test('a name given up under the wildcard is answered, for the client may have dropped it', () => {
    const subscription = new Subscription();
    subscription.applyDelta(['*', 'a'], []);
    expect(subscription.applyDelta([], ['a'])).toEqual({ ...nothing, answer: ['a'] });
    expect(subscription.wants('a')).toBe(true);
  });

  test('a name given up without the wildcard is forgotten', () => {
    const subscription = new Subscription();
    subscription.applyDelta(['a', 'b'], []);
    expect(subscription.applyDelta([], ['a', 'never-asked-for'])).toEqual({ ...nothing, forget: ['a'] });
    expect(subscription.wants('a')).toBe(false);
  });

  test('a name given up and asked for in one request stays', () => {
    const subscription = new Subscription();
    subscription.applyDelta(['a'], []);
    expect(subscription.applyDelta(['a'], ['a'])).toEqual({ ...nothing, answer: ['a'] });
    expect(subscription.wants('a')).toBe(true);
  });
});

describe('Subscription in the state-of-the-world protocol', () => {
  test('empty from the start asks for everything, as often as it is said', () => {
    const subscription = new Subscription();
    expect(subscription.applySotw([])).toEqual({ ...nothing, answerAll: true });
    expect(subscription.applySotw([])).toEqual(nothing);
    expect(subscription.wants('any')).toBe(true);
  });

  test('names end the wildcard of an empty request', () => {
    const subscription = new Subscription();
    subscription.applySotw([]);
    expect(subscription.applySotw(['a'])).toEqual({ ...nothing, answer: ['a'], forgetUnnamed: true });
    expect(subscription.wants('b')).toBe(false);
  });

  test('empty after names asks for nothing', () => {
    const subscription = new Subscription();
    subscription.applySotw(['a']);
    expect(subscription.applySotw([])).toEqual({ ...nothing, forget: ['a'] });
    expect(subscription.wants('a')).toBe(false);
    expect(subscription.wildcard).toBe(false);
  });

  test('the same names again ask for nothing new', () => {
    const subscription = new Subscription();
    subscription.applySotw(['a', 'b']);
    expect(subscription.applySotw(['b', 'a'])).toEqual(nothing);
  });

  test('* stays only as long as it is listed', () => {
    const subscription = new Subscription();
    expect(subscription.applySotw(['*', 'a'])).toEqual({ ...nothing, answer: ['a'], answerAll: true });
    expect(subscription.applySotw(['a'])).toEqual({ ...nothing, forgetUnnamed: true });
    expect(subscription.wants('b')).toBe(false);
  });
});
