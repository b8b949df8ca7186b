// A file of the project as the house rules see it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace starling::house {

struct SourceFile {
  std::string path;  ///< from the root of the project, with slashes
  std::string text;
};

/// Something against the rules, at a line (from 1; 0 means the whole file).
struct Finding {
  std::string path;
  std::size_t line = 0;
  std::string text;
};

using Findings = std::vector<Finding>;

/// "path:line: text"
std::string to_string(const Finding& finding);

/// One a line, for a test's message.
std::string to_string(const Findings& findings);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(std::string_view text);

/// The text with comments blanked and string and character literals emptied; lines stay where they
/// are.
std::string code_of(std::string_view text);

/// An #include of a file.
struct Include {
  std::size_t line = 0;
  std::string path;
  bool in_quotes = false;
};

std::vector<Include> includes_of(std::string_view text);

/// Where `word` stands by itself in `line`: not inside a longer name, and not the member of
/// something if the word is a call. npos if nowhere.
std::size_t find_word(std::string_view line, std::string_view word);

bool is_code(const SourceFile& file);    ///< .hpp or .cpp
bool is_header(const SourceFile& file);  ///< .hpp

/// Tests and benchmarks beside the code, and everything outside starling/, may include and use
/// anything.
bool is_exempt(const SourceFile& file);

/// The room of a file below starling/: "topology"; empty elsewhere.
std::string room_of(std::string_view path);

}  // namespace starling::house
