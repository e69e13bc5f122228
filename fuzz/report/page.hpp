// The HTML report: one file, readable without a network and without a manual.
//
// The run that broke above the nearest one that holds; a slider with the whole state at each step.
// The same bytes for the same verdict, always.
#pragma once

#include <string>

#include <picklock/race/verdict.hpp>

#include "fuzz/report/story.hpp"

namespace picklock::race {

std::string draw_page(const Verdict& verdict, const Story& story);

}  // namespace picklock::race
