import { ValueError } from '../../api/values.ts';
import { ServiceError } from '../errors.ts';

/**
 * Checks the value of an input, and returns the result of the check.
 *
 * @throws ServiceError INVALID_VALUE with the name of the input, if the check throws a ValueError
 */
export function checkValue<T>(name: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ServiceError('INVALID_VALUE', `The value of "${name}" ${error.message}.`);
  }
}
