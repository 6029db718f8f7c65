#include "decide/3_stack/symptom.hpp"

#include "support/catch.hpp"

using namespace steelyard::stack;

TEST_CASE("texts are normalised: case, quotes, white space, length") {
  CHECK(normalised("  CUDA\n\terror:  \"no  kernel`  ") == "cuda error: 'no kernel'");
  CHECK(normalised(std::string(100'000, 'x')).size() < 20'000);
  CHECK(normalised("").empty());
}

TEST_CASE("figures in an error text are read") {
  CHECK(stated_in("the nvidia driver on your system is too old (found version 11040)").at("driver_cuda") == 11.004);
  CHECK(stated_in("unsatisfied condition: cuda>=12.8, please update").at("required_cuda") == 12.008);
  CHECK(stated_in("version 'glibc_2.28' not found; version 'glibc_2.32' not found").at("glibc") == 2.032);
  CHECK(stated_in("nvidia h100 with cuda capability sm_90 is not compatible").at("sm") == 90);
  CHECK(stated_in("gpus with compute capability of at least 8.9").at("needed_sm") == 89);
  CHECK(stated_in("libcudart.so.13: cannot open").at("lib_cuda") == 13);
  CHECK(stated_in("card not found; 560 works").at("good_driver") == 560);
  CHECK(stated_in("fabric manager nvidia gpu driver interface version 535.161.08 don't match").at("manager_version") == 535.161008);
  CHECK(stated_in("loss 2.3 after 800 steps").empty());
}

TEST_CASE("wheel variants in a text") {
  CHECK(variants_in("cu130 build fails, torch+cu129 works, cu130 again") == std::vector<std::string>{"cu130", "cu129"});
  CHECK(variants_in("cuda 12.1, focus121, cu12x, cu").empty());
}

TEST_CASE("words stand alone") {
  CHECK(has_word("uses fp8 here", "fp8"));
  CHECK_FALSE(has_word("uses mxfp8 here", "fp8"));
  CHECK(has_word("fp8", "fp8"));
}
