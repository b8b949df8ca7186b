// The rules are tested on small bad samples: a rule that finds nothing any more would pass for
// ever.
#include "tests/house/rules.hpp"

#include <string>

#include <gtest/gtest.h>

namespace starling::house {
namespace {

std::string first(const Findings& findings) {
  return findings.empty() ? "nothing" : to_string(findings.front());
}

TEST(CodeOf, BlanksCommentsAndEmptiesLiterals) {
  EXPECT_EQ(code_of("a(); // mutex\nb();"), "a();         \nb();");
  EXPECT_EQ(code_of("a /* x\ny */ b"), "a     \n     b");
  EXPECT_EQ(code_of(R"(f("mutex \" thread", 'x');)"), "f(\"\", '');");
  EXPECT_EQ(code_of("R\"(mutex\n)\" + 1'000'000;").substr(0, 3), "\"\" ");
  EXPECT_EQ(lines_of(code_of("R\"(mutex\n)\" + 1'000;")).size(), 2U);
  EXPECT_NE(code_of("1'000; thread").find("thread"), std::string::npos) << "a digit separator";
}

TEST(FindWord, SeesWholeNamesOnly) {
  constexpr auto kNowhere = std::string::npos;
  EXPECT_EQ(find_word("std::mutex m;", "mutex"), 5U);
  EXPECT_EQ(find_word("my_mutex; mutexes", "mutex"), kNowhere);
  EXPECT_EQ(find_word("std::unordered_map<int>", "unordered_"), 5U);
  EXPECT_EQ(find_word("std::exit(2)", "exit("), 5U);
  EXPECT_EQ(find_word("menu.exit(2); p->exit(2); on_exit(2)", "exit("), kNowhere);
  EXPECT_EQ(find_word("snprintf(a)", "printf("), kNowhere);
}

TEST(InclusionOrder, LooksUpOnly) {
  const std::string down = "#include \"starling/algorithm/dsgd.hpp\"\n";
  const SourceFile bad{"starling/topology/ring.cpp", "\n" + down};
  EXPECT_EQ(first(check_inclusion_order(bad)),
            "starling/topology/ring.cpp:2: algorithm/ is banned in topology/, use an interface in "
            "core/ or peer/: a room includes only itself and the rooms above it");
  EXPECT_TRUE(check_inclusion_order({"starling/trainer/train.cpp", down}).empty());
  EXPECT_TRUE(check_inclusion_order({"starling/algorithm/sgp.cpp", down}).empty());
  EXPECT_TRUE(check_inclusion_order({"starling/topology/ring_test.cpp", down}).empty());
  EXPECT_TRUE(check_inclusion_order({"starling/topology/ring_bench.cpp", down}).empty());
  EXPECT_TRUE(check_inclusion_order({"tests/anything.hpp", down}).empty());
}

TEST(InclusionOrder, KnowsTheRooms) {
  EXPECT_EQ(first(check_inclusion_order({"starling/attic/old.cpp", ""})),
            "starling/attic/old.cpp:0: the house has no room 'attic'");
}

TEST(Banned, IncludesHaveOneHome) {
  const SourceFile sockets{"starling/mixing/x.cpp", "#include <sys/socket.h>\n"};
  EXPECT_EQ(first(check_banned(sockets)),
            "starling/mixing/x.cpp:1: sys/socket.h is banned in mixing/, use the Peer of "
            "starling/peer/peer.hpp");
  for (const char* header : {"asio.hpp",
                             "asio/ip/tcp.hpp",
                             "openssl/ssl.h",
                             "netinet/in.h",
                             "mpi.h",
                             "opendht.h",
                             "simgrid/s4u.hpp",
                             "torch/torch.h",
                             "ATen/ATen.h",
                             "c10/util/Exception.h",
                             "iostream",
                             "random"}) {
    const std::string text = "#include <" + std::string(header) + ">\n";
    EXPECT_EQ(check_banned({"starling/trainer/x.cpp", text}).size(), 1U) << header;
    EXPECT_TRUE(check_banned({"starling/trainer/x_test.cpp", text}).empty()) << header;
  }
  EXPECT_TRUE(check_banned({"starling/model/x.cpp", "#include <torch/torch.h>\n"}).empty());
  EXPECT_TRUE(check_banned({"starling/simulation/x.cpp", "#include <simgrid/s4u.hpp>\n"}).empty());
  EXPECT_TRUE(check_banned({"starling/transport/tcp/x.cpp", "#include <asio.hpp>\n"}).empty());
  EXPECT_FALSE(check_banned({"starling/transport/tcp/x.cpp", "#include <mpi.h>\n"}).empty());
}

TEST(Banned, ThreadsClocksAndChanceComeFromThePeer) {
  for (const char* code : {"std::thread t;",
                           "std::jthread t;",
                           "std::mutex m;",
                           "std::this_thread::sleep_for(d);",
                           "steady_clock::now();",
                           "std::random_device d;",
                           "std::mt19937 g;",
                           "std::shuffle(a, b, g);",
                           "std::unordered_map<int, int> m;",
                           "#include <thread>",
                           "#include <unordered_set>"}) {
    for (const char* room : {"topology",
                             "codec",
                             "collective",
                             "mixing",
                             "objective",
                             "optimizer",
                             "swarm",
                             "algorithm"}) {
      EXPECT_FALSE(check_banned({"starling/" + std::string(room) + "/x.cpp", code}).empty())
          << code << " in " << room;
    }
    EXPECT_TRUE(check_banned({"starling/transport/threads/x.cpp", code}).empty()) << code;
  }
}

TEST(Banned, NamesInCommentsAndTextsAreFree) {
  EXPECT_TRUE(check_banned({"starling/mixing/x.cpp",
                            "// no mutex here\n/* std::thread */ f(\"std::cout\", mutexes);\n"})
                  .empty());
}

TEST(Banned, TheLibraryWritesToNoStreamAndNeverEndsTheProgram) {
  for (const char* code : {"std::cout << 1;",
                           "std::cerr << 1;",
                           "printf(\"x\");",
                           "std::printf(\"x\");",
                           "exit(1);",
                           "std::abort();"}) {
    EXPECT_EQ(check_banned({"starling/trainer/x.cpp", code}).size(), 1U) << code;
    EXPECT_TRUE(check_banned({"starling/cli/x.cpp", code}).empty()) << code;
  }
  EXPECT_EQ(first(check_banned({"starling/core/x.cpp", "\n\n  exit(1);"})),
            "starling/core/x.cpp:3: exit() is banned in core/, use events and exceptions");
}

TEST(Banned, PartsAreNotAskedWhatTheyAre) {
  for (const char* code : {"if (dynamic_cast<Ring*>(p)) {}", "if (name == \"ring\") {}"}) {
    EXPECT_EQ(check_banned({"starling/cli/x.cpp", code}).size(), 1U) << code;
    EXPECT_TRUE(check_banned({"starling/algorithm/registry.cpp", code}).empty()) << code;
  }
}

TEST(Banned, WhatTheToolsCannotTake) {
  for (const char* code : {"#include <format>",
                           "#include <coroutine>",
                           "auto v = std::views::all;",
                           "std::async(f);",
                           "std::execution::par",
                           "x = rand();"}) {
    EXPECT_EQ(check_banned({"starling/core/x.cpp", code}).size(), 1U) << code;
  }
}

TEST(ThirdPartyHeaders, StayInSources) {
  const std::string text = "#include <vector>\n#include <Eigen/Dense>\n#include <zlib.h>\n";
  const Findings findings = check_third_party_headers({"starling/topology/spectral.hpp", text});
  EXPECT_EQ(findings.size(), 2U);
  EXPECT_EQ(
      first(findings),
      "starling/topology/spectral.hpp:2: <Eigen/Dense> is banned in a public header, use it in "
      "the .cpp");
  EXPECT_TRUE(check_third_party_headers({"starling/model/networks.hpp", text}).empty());
}

TEST(Form, LimitsLinesAndColumns) {
  std::string long_file;
  for (int k = 0; k < 601; ++k) {
    long_file += "x\n";
  }
  EXPECT_EQ(first(check_form({"a.cpp", long_file})),
            "a.cpp:601: expected at most 600 lines, found 601; which two files did it become?");
  EXPECT_EQ(first(check_form({"a.cpp", "\n" + std::string(101, 'x')})),
            "a.cpp:2: expected at most 100 columns, found 101");
  EXPECT_TRUE(check_form({"a.cpp", std::string(100, 'x')}).empty());
  std::string umlauts;
  for (int k = 0; k < 100; ++k) {
    umlauts += "\u00fc";
  }
  EXPECT_TRUE(check_form({"a.cpp", umlauts}).empty()) << "columns, not bytes";
}

TEST(Form, FindsUnfinishedWork) {
  for (const std::string& mark : {std::string("TO") + "DO", std::string("FIX") + "ME"}) {
    EXPECT_EQ(check_form({"a.cpp", "// " + mark + ": later\n"}).size(), 1U);
    EXPECT_TRUE(check_form({"a.cpp", "// " + mark + "S\n"}).empty()) << "another word";
  }
}

TEST(Form, WantsPragmaOnceInHeaders) {
  EXPECT_EQ(first(check_form({"a.hpp", "int x;\n"})), "a.hpp:1: expected #pragma once");
  EXPECT_TRUE(check_form({"a.hpp", "// a\n#pragma once\n"}).empty());
  EXPECT_TRUE(check_form({"a.cpp", "int x;\n"}).empty());
}

TEST(IncludesFromRoot, NameAFileThatExists) {
  const std::set<std::string> paths{"starling/core/range.hpp"};
  EXPECT_TRUE(
      check_includes_from_root({"a.cpp", "#include \"starling/core/range.hpp\"\n"}, paths).empty());
  EXPECT_EQ(first(check_includes_from_root({"a.cpp", "#include \"range.hpp\"\n"}, paths)),
            "a.cpp:1: expected a file by its path from the root, found \"range.hpp\"");
}

TEST(Listed, FilesAreNamedFromTheirFolderOrTheRoot) {
  const std::set<std::string> listed = listed_files(
      {{"starling/core/CMakeLists.txt", "room(x\n  a.cpp  # b.cpp\n  \"sub/c.hpp\")\n"},
       {"CMakeLists.txt", "target(${PROJECT_SOURCE_DIR}/bench/d.cpp)\n"}});
  EXPECT_TRUE(listed.contains("starling/core/a.cpp"));
  EXPECT_TRUE(listed.contains("starling/core/sub/c.hpp"));
  EXPECT_TRUE(listed.contains("bench/d.cpp"));
  EXPECT_FALSE(listed.contains("starling/core/b.cpp")) << "named in a comment only";
}

std::string includes(const std::string& path) {
  return "#include \"" + path + "\"\n";
}

TEST(Listed, EverySourceIsBuilt) {
  const Findings findings = check_listed({{"starling/core/CMakeLists.txt", "room(x a.cpp)"},
                                          {"starling/core/a.cpp", ""},
                                          {"bench/d.cpp", ""}});
  EXPECT_EQ(to_string(findings),
            "bench/d.cpp:0: expected in a CMakeLists.txt, found in none: not built\n");
}

TEST(Listed, AHeaderOfAnotherRoomIsPublic) {
  const std::string include_h = includes("starling/core/h.hpp");
  const SourceFile lists{"starling/core/CMakeLists.txt", "room(x a.cpp p.hpp)"};
  const SourceFile own{"starling/core/a.cpp", include_h};
  const SourceFile header{"starling/core/h.hpp", ""};
  EXPECT_TRUE(check_listed({lists, own, header}).empty()) << "private to its room";
  const SourceFile beside{"starling/peer/x_test.cpp", include_h};
  const SourceFile also{"starling/peer/CMakeLists.txt", "tests(x_test.cpp y.cpp)"};
  EXPECT_TRUE(check_listed({lists, also, own, header, beside}).empty()) << "tests are free";
  const SourceFile other{"starling/peer/y.cpp", include_h};
  EXPECT_EQ(
      first(check_listed({lists, also, own, header, other})),
      "starling/peer/y.cpp:1: starling/core/h.hpp is private to core/, list it under HEADERS");
  const SourceFile installed{"starling/core/p.hpp", include_h};
  EXPECT_EQ(
      first(check_listed({lists, own, header, installed})),
      "starling/core/p.hpp:1: starling/core/h.hpp is private to core/, list it under HEADERS");
}

TEST(Listed, AHeaderNobodyIncludesIsDead) {
  EXPECT_EQ(first(check_listed({{"starling/core/h.hpp", ""}})),
            "starling/core/h.hpp:0: expected an #include somewhere or a line under HEADERS, found "
            "none");
}

TEST(Script, BeginsWithItsInterpreterAndRuns) {
  EXPECT_TRUE(check_script({"scripts/demo", "#!/bin/sh\n"}, true).empty());
  EXPECT_EQ(check_script({"scripts/demo", "echo\n"}, false).size(), 2U);
}

TEST(Readme, NamesTheTwoCommands) {
  EXPECT_TRUE(check_readme({"README.md", "./scripts/demo and ./scripts/test"}).empty());
  EXPECT_EQ(first(check_readme({"README.md", "./scripts/demo"})),
            "README.md:0: expected the command ./scripts/test");
}

}  // namespace
}  // namespace starling::house
