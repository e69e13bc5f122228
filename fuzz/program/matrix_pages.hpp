// The matrix of verdicts as text, Markdown and HTML.
//
// Pure: deterministic bytes. What others have written (a server's error texts) is escaped.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fuzz/gallery/verdicts.hpp"

namespace picklock::race {

struct Matrix {
  MatrixBounds bounds;
  std::vector<const Condition*> columns;
  /// A row a lock, a cell a column.
  std::vector<std::vector<Cell>> rows;
};

/// One lock for the terminal: what holds in one paragraph, then what does not, each with the line
/// that replays it.
std::string matrix_text(std::span<const Cell> row);
/// The bounds, and how many cells came out how.
std::string matrix_summary(const Matrix& matrix);
std::string matrix_markdown(const Matrix& matrix);
/// A page that needs nothing else.
std::string matrix_html(const Matrix& matrix);

}  // namespace picklock::race
