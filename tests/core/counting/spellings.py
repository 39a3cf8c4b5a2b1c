"""Names of models as providers, hosts, frameworks and people spell them, and names that are none's."""

from __future__ import annotations

from typing import Final

KNOWN: Final[dict[tuple[str, int], str]] = {
    ("gpt-4o", 128_000): (
        "gpt-4o gpt-4o-2024-11-20 chatgpt-4o-latest azure/eu/gpt-4o-2024-08-06 github/gpt-4o "
        "openai/gpt-4o:extended databricks-gpt-4o gpt-4o@v2 GPT4O hr-gpt-4o gpt-4o-mine gpt_4o_prod openai.gpt-4o"
    ),
    ("gpt-4o-mini", 128_000): (
        "gpt-4o-mini gpt4o-mini gpt4omini azure/gpt-4o-mini-2024-07-18 GPT-4o-Mini "
        "ft:gpt-4o-mini-2024-07-18:acme::abc123 summarizer-gpt-4o-mini openrouter/openai/gpt-4o-mini"
    ),
    ("gpt-4.1", 1_047_576): ("gpt-4.1 gpt-41 gpt_4_1 azure/gpt-4.1-2025-04-14 openai/gpt-4.1 dev-gpt-41"),
    ("gpt-4.1-mini", 1_047_576): ("gpt-4.1-mini gpt-41-mini azure/us/gpt-4.1-mini-2025-04-14"),
    ("gpt-4", 8_192): ("gpt-4 gpt-4-0613 azure/gpt-4 my-gpt-4 gpt4"),
    ("gpt-4", 128_000): ("gpt-4-turbo gpt-4-1106-preview azure/gpt-4-0125-preview gpt-4-turbo-vision-preview"),
    ("gpt-35", 4_096): ("gpt-35-turbo azure/gpt-35-turbo gpt35turbo"),
    ("gpt-3.5", 16_385): ("gpt-3.5-turbo gpt-3.5-turbo-0125 openai:gpt-3.5-turbo"),
    ("gpt-5", 272_000): ("gpt-5 gpt-5-2025-08-07 openai/gpt-5:online gpt-5.1-codex-max gpt-5.2 gpt-52 gpt-5.4-image-2"),
    ("gpt-5", 922_000): (
        "gpt-5.4 gpt-5.6-sol us.openai.gpt-5.6-terra databricks-gpt-6-luna gpt-6.1-sol azure/gpt-6-sol"
    ),
    ("gpt-chat-latest", 128_000): ("azure/gpt-chat-latest gpt-5-chat-latest"),
    ("gpt-realtime", 32_000): ("gpt-realtime gpt-realtime-2025-08-28 azure/gpt-realtime-mini gpt-realtime-2.1"),
    ("computer-use-preview", 8_192): (
        "computer-use-preview azure/computer-use-preview computer-use-preview-2025-03-11"
    ),
    ("o1", 200_000): (
        "o1 o1-2024-12-17 o3 o3-mini o3-mini-high openai/o3-pro o1-pro o3-deep-research azure/o3-mini "
        "gradient_ai/openai-o3 my-o3-mini llm-o3-mini team_o3_mini o3mini o3-prod openai:o3"
    ),
    ("o4-mini", 200_000): ("o4-mini o4mini openai/o4-mini:batch hr-o4-mini o4-mini-2025-04-16"),
    ("gpt-oss", 131_072): (
        "gpt-oss:20b openai/gpt-oss-120b openai.gpt-oss-20b-1:0 databricks-gpt-oss-120b gpt-oss-120b"
    ),
    ("claude", 200_000): (
        "anthropic.claude-3-5-sonnet-20241022-v2:0 claude-3-7-sonnet-latest anthropic/claude-sonnet-4 "
        "claude-opus-4-1-20250805 claude-3.5-sonnet@20240620 anthropic.claude-v2:1 claude-2.1 claude-4-sonnet "
        "us.anthropic.claude-sonnet-4-20250514-v1:0 databricks-claude-3-7-sonnet my-claude-3-5-sonnet "
        "anthropic/claude"
    ),
    ("claude", 100_000): ("claude-2 claude-instant-1.2 anthropic.claude-instant-v1 anthropic.claude-v2 claude-v1.3"),
    ("claude-haiku-4-5", 200_000): (
        "claude-haiku-4-5 claude-haiku-4.5 us.anthropic.claude-haiku-4-5-20251001-v1:0 anthropic:claude-haiku-4-5 "
        "vertex_ai/claude-haiku-4-5@20251001 eu-claude-haiku-4-5 claude-4.5-haiku claude-4-5-haiku "
        "databricks-claude-haiku-4-5"
    ),
    ("claude-3-haiku", 200_000): (
        "claude-3-haiku-20240307 anthropic/claude-3-haiku bedrock/anthropic.claude-3-haiku-v1:0"
    ),
    ("claude-opus-4-7", 1_000_000): ("claude-opus-4-7 claude-sonnet-5 anthropic/claude-opus-5 claude-fable-5"),
    ("gemini", 1_048_576): (
        "gemini-2.5-pro models/gemini-2.5-flash google/gemini-2.5-flash-lite google_genai:gemini-2.5-pro "
        "publishers/google/models/gemini-2.5-flash gemini-flash-latest gemini-pro-latest my-gemini-2.5-flash "
        "gemini-exp-1206 gemini-4-argon"
    ),
    ("gemini", 131_072): (
        "gemini-2.5-flash-native-audio-latest gemini-2.5-flash-native-audio-preview-12-2025 gemini-live-2.5-flash "
        "gemini-live-2.5-flash-preview-native-audio-09-2025 gemini-2.5-flash-preview-native-audio-dialog"
    ),
    ("gemini", 30_720): ("gemini-pro"),
    ("gemini-1", 1_048_576): (
        "gemini-1.5-flash gemini-1.5-flash-8b google/gemini-flash-1.5 google/gemini-flash-1.5-8b "
        "gemini-2.0-flash-001 google/gemini-2.0-flash-exp:free"
    ),
    ("gemini-1", 2_097_152): ("gemini-1.5-pro-002 google/gemini-pro-1.5 openrouter/google/gemini-pro-1.5"),
    ("gemini-3", 1_048_576): ("gemini-3-pro-preview google/gemini-3.1-flash vertex_ai/gemini-3-flash-preview"),
    ("grok-4", 256_000): ("grok-4 xai/grok-4-0709 x-ai/grok-4 xai.grok-4"),
    ("grok-code", 256_000): ("grok-code-fast-1 x-ai/grok-code-fast-1 oci/xai.grok-code-fast-1"),
    ("command", 4_096): ("cohere/command cohere.command-text-v14 command-light command-nightly"),
    ("command-r", 128_000): (
        "command-r command-r-plus command-r-08-2024 command-r7b-12-2024 cohere.command-r-v1:0 command-r:35b "
        "cohere/command-r-plus-08-2024 CohereForAI/c4ai-command-r-plus command-r-plus:104b command-r7b"
    ),
    ("command-a", 256_000): ("command-a-03-2025 cohere/command-a c4ai-command-a-03-2025 command-a:111b"),
    ("nova-lite", 300_000): (
        "amazon.nova-lite-v1:0 us.amazon.nova-pro-v1:0 nova-lite bedrock/amazon.nova-pro-v1:0 nova-pro "
        "amazon/nova-lite-v1 nova-lite-2"
    ),
    ("nova-2-lite", 1_000_000): (
        "amazon.nova-2-lite-v1:0 global.amazon.nova-2-lite-v1:0 nova-2-lite amazon/nova-2-lite-v1"
    ),
    ("sonar", 127_072): ("sonar perplexity/sonar sonar-reasoning-pro perplexity/sonar-deep-research perplexity-sonar"),
    ("codex-mini", 200_000): ("codex-mini-latest openai/codex-mini"),
    ("llama-2", 4_096): (
        "llama2 llama2:13b llama2:70b-chat-q4_0 meta.llama2-13b-chat-v1 meta-llama/Llama-2-7b-chat-hf "
        "meta-textgeneration-llama-2-13b-f sagemaker/meta-textgeneration-llama-2-70b-b-f llama-v2-7b-chat "
        "accounts/fireworks/models/llama-v2-70b llama2-uncensored replicate/meta/llama-2-70b-chat "
        "databricks-llama-2-70b-chat"
    ),
    ("llama-2", 16_384): ("codellama:13b codellama/CodeLlama-13b-Instruct-hf code-llama-34b-instruct codellama-7b"),
    ("llama-2", 2_048): ("@cf/meta/llama-2-7b-chat-int8"),
    ("llama-3", 8_192): (
        "llama3 llama3:70b meta.llama3-8b-instruct-v1:0 llama-v3-8b-instruct Meta-Llama-3-70B-Instruct "
        "meta-textgeneration-llama-3-8b-instruct"
    ),
    ("llama-3.1", 131_072): (
        "llama3.1 llama-3.1-8b-instant meta.llama3-1-70b-instruct-v1:0 llama33-70b llama3.3:70b "
        "llama-3.1-nemotron-70b-instruct databricks-meta-llama-3-3-70b-instruct llama-v3p3-70b-instruct"
    ),
    ("llama-3.1", 24_000): ("@cf/meta/llama-3.3-70b-instruct-fp8-fast"),
    ("qwen", 32_768): ("qwen3:8b Qwen/Qwen3-32B qwen-3-32b qwq:32b alibaba-qwen3-32b"),
    ("qwen", 262_144): (
        "qwen.qwen3-235b-a22b-2507-v1:0 Qwen/Qwen3-235B-A22B-Instruct-2507 qwen3-next-80b-a3b-instruct"
    ),
    ("qwen", 16_384): ("qwen-mt-plus qwen/qwen-mt-plus qwen-mt-turbo"),
    ("qwen2.5", 32_768): (
        "qwen2.5:7b qwen2p5-72b-instruct qwen25-coder-32b-instruct qwen-v2p5-14b-instruct Qwen2.5-7B"
    ),
    ("qwen3-coder", 262_144): (
        "qwen3-coder:30b qwen.qwen3-coder-480b-a35b-v1:0 databricks-qwen35-122b-a10b qwen3.5-27b"
    ),
    ("mistral", 32_000): (
        "mistral mistral:7b mistral.mistral-7b-instruct-v0:2  mathstral:7b codestral:22b codestral-22b-v0.1 "
        "codestral mistralai/Codestral-22B-v0.1 codestral-2405 mistral.mistral-large-2402-v1:0 "
        "huggingface-llm-mistral-7b-instruct mistral-large"
    ),
    ("mistral", 128_000): (
        "codestral-latest codestral-2501 mistral-large-2411 mistral.mistral-large-2407-v1:0 mistral-medium-latest "
        "devstral-small-2507 ministral-8b-latest pixtral-12b mistral-large:123b"
    ),
    ("mistral", 8_192): ("mistral-7b-instruct-v0.1 mistralai/Mistral-7B-v0.1"),
    ("mixtral", 32_000): ("mixtral mixtral:8x7b mistralai/Mixtral-8x7B-Instruct-v0.1 open-mixtral-8x7b"),
    ("deepseek", 64_000): (
        "deepseek-r1 deepseek-r1:671b us.deepseek.r1-v1:0 deepseek-v3 deepseek-ai/DeepSeek-V3 my-deepseek-r1"
    ),
    ("deepseek", 128_000): (
        "deepseek-chat deepseek-ai/DeepSeek-V3.1 deepseek.v3.2 deepseek-r1-0528 r1-1776 perplexity/r1-1776 "
        "deepseek-coder-v2:16b"
    ),
    ("deepseek-r1-distill-qwen", 131_072): (
        "deepseek-r1:1.5b deepseek-r1:7b deepseek-r1:14b deepseek-r1:32b deepseek-r1:7b-qwen-distill-q4_K_M "
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B deepseek-r1-14b"
    ),
    ("deepseek-r1-0528-qwen3", 131_072): (
        "DeepSeek-R1-0528-Qwen3-8B deepseek/deepseek-r1-0528-qwen3-8b:free deepseek-r1:8b-0528-qwen3-q8_0"
    ),
    ("deepseek-r1-distill-llama", 131_072): (
        "deepseek-r1:8b deepseek-r1:70b deepseek-r1-distill-llama-70b r1-1776:70b"
    ),
    ("gemma", 8_192): ("gemma gemma:2b google/gemma-7b-it"),
    ("gemma", 131_072): ("gemma3:27b google/gemma-3-12b-it gemma-4-31b-it medgemma:4b google/medgemma-27b-text-it"),
    ("gemma-2", 8_192): ("gemma2:9b google/gemma-2-27b-it codegemma:7b google/codegemma-7b-it"),
    ("glm", 200_000): ("glm-4.6 z-ai/glm-5 FW-GLM-5 zai.glm-4.6"),
    ("kimi", 131_072): ("kimi-k2 moonshotai/kimi-k2 groq/moonshotai/kimi-k2-instruct my-kimi-k2"),
    ("minimax-m2", 196_608): ("MiniMax-M2 minimax/minimax-m2.1 FW-MiniMax-M2.5"),
    ("phi-3", 4_096): ("phi3 microsoft/Phi-3-mini-4k-instruct phi3:14b"),
    ("jamba-1.5", 256_000): (
        "jamba-1.5-large ai21.jamba-1-5-mini-v1:0 AI21-Jamba-1.5-Large jamba-large-1.7 jamba-mini"
    ),
    ("jamba-1.5", 70_000): ("ai21.jamba-instruct-v1:0"),
    ("granite-3.1", 131_072): ("granite3.1-dense:8b granite3.3:2b ibm-granite/granite-3.2-8b-instruct"),
    ("granite-3", 4_096): (
        "granite3-dense:8b granite-3.0-8b-instruct granite-code:8b-base-4k granite-8b-code-instruct-4k"
    ),
    ("dbrx", 32_768): ("databricks-dbrx-instruct databricks/dbrx-instruct dbrx"),
    ("titan-text-express", 8_192): ("amazon.titan-text-express-v1 bedrock/amazon.titan-text-express-v1"),
    ("palmyra-x4", 128_000): ("us.writer.palmyra-x5-v1:0 writer.palmyra-x4-v1:0 palmyra-x5"),
    ("falcon-7b", 2_048): ("falcon:7b tiiuae/falcon-40b-instruct huggingface-llm-falcon-7b-instruct-bf16"),
    ("falcon3", 32_768): ("falcon3:10b tiiuae/Falcon3-7B-Instruct"),
    ("aya-23", 8_192): ("aya:8b c4ai-aya-expanse-8b aya-23-35b"),
    ("aya-23", 128_000): ("c4ai-aya-expanse-32b aya-expanse:32b"),
    ("olmo-2", 4_096): ("olmo2:13b allenai/OLMo-2-1124-13B-Instruct"),
    ("solar-10.7b", 4_096): ("solar:10.7b upstage/SOLAR-10.7B-Instruct-v1.0"),
    ("nemotron-nano", 128_000): ("nvidia.nemotron-nano-9b-v2 NVIDIA-Nemotron-Nano-9B-v2 nemotron:70b"),
    ("nemotron-3-nano", 256_000): ("nvidia.nemotron-nano-3-30b nvidia/nemotron-3-super-120b-a12b:free"),
    ("exaone-3.5", 32_768): ("exaone3.5:7.8b LGAI-EXAONE/EXAONE-3.5-32B-Instruct exaone-deep:32b"),
    ("ernie-4.5", 119_000): ("baidu/ernie-4.5-300b-a47b-paddle ernie-4.5-21B-a3b"),
    ("hunyuan-large", 28_000): ("hunyuan-turbos-latest hunyuan-large hunyuan-standard"),
    ("reka-flash", 32_000): ("reka-core reka-flash rekaai/reka-flash-3"),
    ("zephyr-7b", 16_384): ("zephyr:7b HuggingFaceH4/zephyr-7b-beta"),
    ("zephyr-7b", 32_768): ("dolphin-mixtral:8x7b nous-hermes-2-mixtral-8x7b-dpo dolphin-2.6-mixtral-8x7b"),
    ("zephyr-7b", 4_096): ("nous-hermes2:10.7b NousResearch/Nous-Hermes-Llama2-13b nous-hermes-2-yi-34b"),
    ("zephyr-7b", 131_072): ("dolphin3:8b"),
    ("smollm", 8_192): ("smollm2:1.7b HuggingFaceTB/SmolLM2-1.7B-Instruct starcoder:7b"),
    ("starcoder2", 16_384): ("starcoder2:15b bigcode/starcoder2-7b"),
    ("internlm2", 32_768): ("internlm2:7b internlm/internlm2_5-20b-chat"),
    ("doubao-seed", 256_000): ("doubao-seed-2-0-pro-260215 volcengine/doubao-seed-2-1-turbo-260628"),
    ("step-3.5-flash", 256_000): ("stepfun/step-3.5-flash stepfun-ai/Step-3.7-Flash"),
}
"""By the family and the window that they have, blanks between them."""

NONE: Final = (
    # Made of a model's answers, or named after it.
    "claude2-alpaca-13B gpt4-x-alpaca-13b gpt4-x-alpaca gpt4-alpaca-lora-7b gpt4-x-vicuna-13b gpt-4-distilled-phi "
    "gpt-4o-12b gemini-2b-distill claude-3-opus-distill-llama chatgpt-4o-lora o1-mini-14b gpt-4o-like "
    "my-gpt-4o-mini-7b codegpt-4 grok-1-314b "
    # Of other makers, or of none.
    "azure:o365-bot azure:my-o3-bot azure/team-o1-visa azure:glmnet "
    "nova-3-general nova-2 nova-2-general nova-3-medical nova-bot codex-2 codex-cli jean-claude-3 "
    "jean-claude-van-damme claude-haiku-generator my-claude-haiku-generator claude-sonnet-reader command-r2d2 "
    "command-a-team command-room gpt-4o-detector gpt-4-classifier sonar-scan o3-bot o1-visa kimi-chan "
    "minimax-search hermes-parcel glm-poisson solar-panel falcon-9 falcon-heavy titan-submarine step-1-extract "
    "reka zephyr-wind ernie-bert granite-countertop llama-farm llama-33b gemma-stone mercury-retrograde "
    "jamba-juice aya-sofia inkl hy5 "
    # A word alone.
    "nova command glm hermes minimax codex kimi claude gemini grok deepseek phi yi o gpt"
)
"""Names that only begin, end or read like those of models, blanks between them."""
