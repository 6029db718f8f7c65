// What a Catalog holds.
#pragma once

#include <memory>
#include <steelyard/catalog.hpp>

#include "catalog/machines.hpp"
#include "catalog/names.hpp"

namespace steelyard {

/// Facts that never change once loaded; the indices point into the deques, so this is never copied.
struct Facts {
  Facts(std::deque<Board> boards_in, std::deque<Model> models_in, std::deque<MachineType> machines_in, ExchangeRates rates_in)
      : boards(std::move(boards_in)),
        models(std::move(models_in)),
        machines(std::move(machines_in)),
        rates(std::move(rates_in)),
        board_names(boards),
        model_names(models),
        machine_names(machines) {}
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  const std::deque<Board> boards;
  const std::deque<Model> models;
  const std::deque<MachineType> machines;
  const ExchangeRates rates;
  const BoardIndex board_names;
  const ModelIndex model_names;
  const MachineIndex machine_names;
};

struct Catalog::Contents {
  std::shared_ptr<const Facts> facts;
  OfferList offers;
};

}  // namespace steelyard
