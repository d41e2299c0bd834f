/** How settings name a model: `provider/model`, split at the first slash. */
export const MODEL_NAME = /^[^/\s]+\/\S+$/;
