import { ValueError } from '../../api/values.ts';
import { ServiceError } from '../errors.ts';

/**
 * Checks the value of an input.
 *
 * @throws ServiceError INVALID_VALUE with the name of the input, if the check throws a ValueError
 */
export function checkValue(name: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ServiceError('INVALID_VALUE', `The value of "${name}" ${error.message}.`);
  }
}
