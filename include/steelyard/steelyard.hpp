// The whole public interface.
#pragma once

#include <steelyard/advisor.hpp>
#include <steelyard/board.hpp>
#include <steelyard/call.hpp>
#include <steelyard/catalog.hpp>
#include <steelyard/configuration.hpp>
#include <steelyard/decision.hpp>
#include <steelyard/estimate.hpp>
#include <steelyard/issue.hpp>
#include <steelyard/language.hpp>
#include <steelyard/model.hpp>
#include <steelyard/money.hpp>
#include <steelyard/offers.hpp>
#include <steelyard/report.hpp>
#include <steelyard/requests.hpp>
#include <steelyard/rule_rows.hpp>
#include <steelyard/rules.hpp>
#include <steelyard/stack.hpp>
#include <steelyard/value.hpp>
#include <steelyard/workload.hpp>
