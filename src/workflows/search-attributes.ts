import { defineSearchAttributeKey } from '@temporalio/common';

/**
 * The search attributes of a campaign's workflow, all of type Keyword. A workflow has them only if the cluster has
 * them.
 */
export const modelAttribute = defineSearchAttributeKey('ForayModel', 'KEYWORD');
export const phaseAttribute = defineSearchAttributeKey('ForayPhase', 'KEYWORD');
export const ownerAttribute = defineSearchAttributeKey('ForayOwner', 'KEYWORD');
