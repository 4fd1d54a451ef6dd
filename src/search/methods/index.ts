import type { MethodName } from '../../campaign/search/search.ts';
import { cma } from './cma/cma.ts';
import { direct } from './direct/direct.ts';
import { gaussianProcess } from './gp/method.ts';
import type { MethodMaker } from './method.ts';

/** The methods by their names in a definition. */
export const makers: Record<MethodName, MethodMaker> = { gp: gaussianProcess, cma, direct };
