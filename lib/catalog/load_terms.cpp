// The terms of a price: how it is billed, what else is charged, how long a machine is kept.
#include "catalog/inputs.hpp"

namespace steelyard::catalog {

namespace {

using load::Fields;
using load::Node;

constexpr double hours_of_ten_years = 87'660;

// {amount, per}: an amount for something else than machine hours; `per` may be left out, since there is one word for it.
std::optional<double> read_charge(Fields& charge, const std::string& name, const std::string& per) {
  const auto amount = charge.number("amount", 0, 1e6);
  if (!charge.has("amount")) charge.fault("amount", name + ": amount is missing", "add amount: <number>, in the currency of the price");
  charge.word("per", {per});
  return amount;
}

void read_storage(Fields& price, PriceTerms& terms) {
  const Node* node = price.node("storage");
  if (!node) return;
  Fields storage(price.document(), *node, price.issues(), "storage");
  terms.storage_gib = storage.number("gib", 0, 1e12);
  terms.storage_per_gib_month = read_charge(storage, "storage", "gib_month");
  storage.finish();
}

void read_egress(Fields& price, PriceTerms& terms) {
  const Node* node = price.node("egress");
  if (!node) return;
  Fields egress(price.document(), *node, price.issues(), "egress");
  terms.egress_per_gib = read_charge(egress, "egress", "gib");
  egress.finish();
}

}  // namespace

std::shared_ptr<const PriceTerms> read_price_terms(Fields& price) {
  PriceTerms terms;
  terms.billing_increment_s = positive(price, "billing_increment_s", hours_of_ten_years * 3600);
  terms.minimum_h = positive(price, "minimum_h", hours_of_ten_years);
  terms.commitment_h = positive(price, "commitment_h", hours_of_ten_years);
  terms.discount = price.number("discount", 0, 0.999);
  if (terms.discount && !terms.commitment_h && !price.has("commitment_h"))
    price.fault("discount", "discount: without a commitment_h that it is given for",
                "add commitment_h: <hours>, or write the lower amount and leave discount out");
  read_storage(price, terms);
  read_egress(price, terms);
  terms.interruptions_per_h = price.number("interruptions_per_h", 0, 3600);
  return terms == PriceTerms() ? nullptr : std::make_shared<const PriceTerms>(terms);
}

std::shared_ptr<const PriceTerms> with_defaults(const std::shared_ptr<const PriceTerms>& own, const std::shared_ptr<const PriceTerms>& all) {
  if (!own || !all) return own ? own : all;
  PriceTerms terms = *own;
  for (const auto term :
       {&PriceTerms::billing_increment_s, &PriceTerms::minimum_h, &PriceTerms::commitment_h, &PriceTerms::discount, &PriceTerms::storage_gib,
        &PriceTerms::storage_per_gib_month, &PriceTerms::egress_per_gib, &PriceTerms::interruptions_per_h}) {
    if (!(terms.*term)) terms.*term = (*all).*term;
  }
  return std::make_shared<const PriceTerms>(terms);
}

}  // namespace steelyard::catalog
