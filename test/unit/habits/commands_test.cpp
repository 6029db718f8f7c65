#include "habits/shell.hpp"
#include "unit/habits/reading.hpp"

using namespace habits_test;

namespace {

std::string words_of(const std::string& text) {
  std::string all;
  for (const auto& command : habits::read_script(text).commands) {
    for (const habits::Word& word : command) all += word.text + (word.unresolved ? "? " : " ");
    all += "; ";
  }
  return all;
}

const std::string megatron = R"(#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NNODES=${SLURM_NNODES:-4}
TP=8   # inside a node
PP=4

DISTRIBUTED_ARGS="
    --nproc_per_node $GPUS_PER_NODE \
    --nnodes 4 \
    --master_addr $MASTER_ADDR
"
MODEL_ARGS=(
    --num-layers 80
    --hidden-size 8192
    --ffn-hidden-size 28672
    --num-attention-heads 64
    --group-query-attention --num-query-groups 8
    --seq-length 8192
    --swiglu
    --untie-embeddings-and-output-weights
)
torchrun $DISTRIBUTED_ARGS pretrain_gpt.py \
    ${MODEL_ARGS[@]} \
    --tensor-model-parallel-size $TP --pipeline-model-parallel-size ${PP} \
    --num-layers-per-virtual-pipeline-stage 5 \
    --sequence-parallel --use-distributed-optimizer --bf16 \
    --recompute-granularity selective \
    --micro-batch-size 1 --global-batch-size 1536 --train-iters 1000 > log.txt 2>&1
)";

}  // namespace

TEST_CASE("shell text as words") {
  CHECK(words_of("a 'b c' \"d $X\" e\\ f # g\nh; i && j") == "a b c d $X? e f ; h ; i ; j ; ");
  CHECK(words_of("A=3\nB=\"$A 4\"\nrun $B ${B} \"$B\" $C") == "run 3 4 3 4 3 4 $C? ; ");
  CHECK(words_of("L=(--x 1 # note\n  --y 2)\nrun ${L[@]}") == "run --x 1 --y 2 ; ");
  CHECK(words_of("N=2\nrun $((N * 8)) $(hostname) `date`") == "run 16 $? $? ; ");
  CHECK(words_of("run a > out 2>&1 | tee log") == "run a ; tee log ; ");
  CHECK(words_of("cat <<EOF > x\ntorchrun --nnodes 7 a.py\nEOF\nrun b") == "cat ; run b ; ");
  CHECK(words_of("A=1 torchrun x").find("torchrun x") == 0);
}

TEST_CASE("no text makes the shell reader stumble") {
  for (std::size_t length = 0; length < megatron.size(); ++length) habits::read_script(std::string_view(megatron).substr(0, length));
  for (const char* text : {"'", "\"", "${", "$((", "$(", "A=(", "A=(B=(", "<<", "\\", "`", "A=$A$A\nA=$A$A", "((((", "$", "${A[@"})
    habits::read_script(text);
  // Every byte in every place where a word may start.
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text =
        std::string(1, static_cast<char>(byte)) + "a=(" + static_cast<char>(byte) + " b) " + static_cast<char>(byte) + "\n" + static_cast<char>(byte);
    habits::read_script(text);
  }
  SUCCEED();
}

TEST_CASE("a Megatron-LM script with variables and arrays") {
  const Understanding all = understand({{"run.sh", megatron}});
  CHECK(at(all, "task") == "pretrain");
  CHECK(at(all, "parallel.tensor") == "8");
  CHECK(at(all, "parallel.pipeline") == "4");
  CHECK(at(all, "parallel.context") == "1");
  CHECK(at(all, "parallel.virtual_pipeline") == "4");
  CHECK(at(all, "parallel.sequence_parallel") == "true");
  CHECK(at(all, "sharding") == "zero1");
  CHECK(at(all, "activation_checkpointing") == "selective");
  CHECK(at(all, "batch.global") == "1536");
  CHECK(at(all, "model.layers") == "80");
  CHECK(at(all, "model.kv_heads") == "8");
  CHECK(at(all, "run.data") == "1");
  CHECK(at(all, "run.accumulation") == "1536");
  CHECK(at(all, "work.steps") == "1000");
  for (const Understood& one : all.understood) {
    if (one.key == "hidden_size") CHECK(one.where.line == 15);
    if (one.field == "parallel.tensor") CHECK(one.where.line == 25);
  }
}

TEST_CASE("options in an unknown variable: no default is taken") {
  const Understanding all = understand({{"run.sh", "torchrun --nproc_per_node 8 pretrain_gpt.py $GPT_ARGS --tensor-model-parallel-size 2\n"}});
  CHECK(at(all, "parallel.tensor") == "2");
  CHECK(at(all, "parallel.pipeline").empty());
  CHECK(is_open(all, "$GPT_ARGS"));
}

TEST_CASE("a Slurm script sets the size of the present run") {
  const Understanding all = understand({{"job.sbatch", R"(#!/bin/bash
#SBATCH --job-name=llama   # a note
#SBATCH -N 4
#SBATCH --gres=gpu:h100:8
#SBATCH --time=24:00:00
srun --kill-on-bad-exit torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 train.py --model_name_or_path meta-llama/Meta-Llama-3-8B \
  --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --max_length 4096 --bf16 --use_peft --lora_r 8
)"}});
  CHECK(at(all, "run.nodes") == "4");
  CHECK(at(all, "run.gpu") == "h100");
  CHECK(at(all, "run.data") == "32");
  CHECK(at(all, "batch.global") == "64");
  CHECK(at(all, "task") == "lora");
  CHECK(is_open(all, "time"));
  CHECK_FALSE(all.workload.find("constraints"));
}

TEST_CASE("nodes of a batch script and of its launcher must agree") {
  const auto loaded = understand_inputs({{"job.sbatch", "#!/bin/bash\n#SBATCH --nodes=4\nsrun torchrun --nnodes 2 --nproc_per_node 8 train.py\n"}},
                                        Catalog::embedded());
  REQUIRE_FALSE(loaded);
  CHECK(to_string(loaded.issues.front()).find("job.sbatch:3:15") != std::string::npos);
  CHECK(to_string(loaded.issues.front()).find("job.sbatch:2:9") != std::string::npos);
}

TEST_CASE("vLLM") {
  const Understanding all = understand(
      {{"serve.sh", "vllm serve Qwen/Qwen2.5-72B-Instruct -tp 4 --pipeline-parallel-size=2 --max-model-len 16384 --dtype auto --max-num-seqs 64\n"}});
  CHECK(at(all, "task") == "llm_inference");
  CHECK(at(all, "serving.engine") == "vllm");
  CHECK(at(all, "serving.max_model_len") == "16384");
  CHECK(at(all, "parallel.tensor") == "4");
  CHECK(at(all, "parallel.pipeline") == "2");
  CHECK(at(all, "serving.concurrency").empty());
  CHECK(is_open(all, "max_num_seqs"));
  CHECK(asks(all, "serving.output_tokens"));
  const auto plan = plan_of(all);
  REQUIRE(plan);
  CHECK(plan->tensor == 4);
}

TEST_CASE("a vLLM container: image, shared memory and the arguments behind it") {
  const Understanding all =
      understand({{"run.sh", R"(docker run --rm --gpus '"device=0,1"' --shm-size=16g -p 8000:8000 -e HF_TOKEN=secret vllm/vllm-openai:v0.8.5 \
    --model Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 2 --enable-expert-parallel)"}});
  CHECK(at(all, "software.image") == "vllm/vllm-openai:v0.8.5");
  CHECK(at(all, "run.gpus_per_node") == "2");
  CHECK(at(all, "run.shm_gib") == "16.0");
  CHECK(at(all, "parallel.tensor") == "2");
  CHECK(at(all, "parallel.expert") == "2");
  CHECK(to_json(to_value(all)).find("secret") == std::string::npos);
}

TEST_CASE("SGLang in a container with an unknown image") {
  const Understanding all = understand(
      {{"run.sh",
        "docker run --gpus all --ipc=host $IMAGE python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 --dp 2 --ep-size 8\n"}});
  CHECK(at(all, "serving.engine") == "sglang");
  CHECK(at(all, "parallel.expert") == "8");
  CHECK(at(all, "run.data") == "2");
  CHECK(at(all, "run.ipc") == "host");
  CHECK(at(all, "software.image").empty());
}

TEST_CASE("accelerate launch and deepspeed") {
  const Understanding fsdp = understand(
      {{"a.sh",
        "accelerate launch --num_processes 8 --mixed_precision bf16 --use_fsdp --fsdp_sharding_strategy FULL_SHARD train.py --optim adafactor "
        "--per_device_train_batch_size 4\n"}});
  CHECK(at(fsdp, "sharding") == "fsdp");
  CHECK(at(fsdp, "optimizer") == "adafactor");
  CHECK(at(fsdp, "batch.global") == "32");
  const Understanding zero = understand({{"b.sh", "deepspeed --include localhost:0,1,2 train.py --deepspeed zero2.json\n"}});
  CHECK(at(zero, "run.gpus") == "3");
  CHECK(is_open(zero, "deepspeed"));
}
