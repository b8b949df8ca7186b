#include "tests/house/source_file.hpp"

#include <algorithm>
#include <cctype>

namespace starling::house {

namespace {

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.ends_with(end);
}

/// Reads a text once and writes it again with what is not code blanked.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (starts("//")) {
        blank_until("\n", 0);
      } else if (starts("/*")) {
        blank_until("*/", 2);
      } else if (starts("R\"") && (at_ == 0 || !is_name_letter(text_[at_ - 1]))) {
        raw_string();
      } else if (text_[at_] == '"' || (text_[at_] == '\'' && !is_digit_separator())) {
        literal(text_[at_]);
      } else {
        code_ += text_[at_++];
      }
    }
    return code_;
  }

 private:
  [[nodiscard]] bool starts(std::string_view token) const {
    return text_.substr(at_, token.size()) == token;
  }

  [[nodiscard]] bool is_digit_separator() const {  // the mark in 1'000
    return at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0 &&
           at_ + 1 < text_.size() && is_name_letter(text_[at_ + 1]);
  }

  void blank_until(std::string_view end, std::size_t with_end) {
    const std::size_t found = text_.find(end, at_ + 1);
    const std::size_t stop = found == std::string_view::npos ? text_.size() : found + with_end;
    for (; at_ < stop; ++at_) {
      code_ += text_[at_] == '\n' ? '\n' : ' ';
    }
  }

  void literal(char quote) {
    code_ += text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ < text_.size()) {
      code_ += text_[at_++];
    }
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      code_ += text_[at_++];
      return;
    }
    std::string end = ")";
    end += text_.substr(at_ + 2, open - at_ - 2);
    end += '"';
    code_ += "\"\"";
    blank_until(end, end.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string code_;
};

}  // namespace

std::string to_string(const Finding& finding) {
  return finding.path + ":" + std::to_string(finding.line) + ": " + finding.text;
}

std::string to_string(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += to_string(finding) + "\n";
  }
  return text;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string code_of(std::string_view text) {
  return Blanker(text).run();
}

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string& line = lines[k];
    if (!line.starts_with("#include")) {
      continue;
    }
    const std::size_t open = line.find_first_of("<\"");
    if (open == std::string::npos) {
      continue;
    }
    const bool in_quotes = line[open] == '"';
    const std::size_t close = line.find(in_quotes ? '"' : '>', open + 1);
    if (close == std::string::npos) {
      continue;
    }
    includes.push_back({k + 1, line.substr(open + 1, close - open - 1), in_quotes});
  }
  return includes;
}

std::size_t find_word(std::string_view line, std::string_view word) {
  const bool is_call = word.back() == '(';
  const bool ends_open = !is_name_letter(word.back()) || word.back() == '_';
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    const char after = at + word.size() < line.size() ? line[at + word.size()] : ' ';
    const bool is_member = is_call && (before == '.' || before == '>');
    if (!is_name_letter(before) && !is_member && (ends_open || !is_name_letter(after))) {
      return at;
    }
  }
  return std::string_view::npos;
}

bool is_header(const SourceFile& file) {
  return ends_with(file.path, ".hpp");
}

bool is_code(const SourceFile& file) {
  return is_header(file) || ends_with(file.path, ".cpp");
}

bool is_exempt(const SourceFile& file) {
  return !file.path.starts_with("starling/") || ends_with(file.path, "_test.cpp") ||
         ends_with(file.path, "_bench.cpp");
}

std::string room_of(std::string_view path) {
  constexpr std::string_view kHouse = "starling/";
  if (!path.starts_with(kHouse)) {
    return {};
  }
  path.remove_prefix(kHouse.size());
  const std::size_t end = path.find('/');
  return end == std::string_view::npos ? std::string() : std::string(path.substr(0, end));
}

}  // namespace starling::house
