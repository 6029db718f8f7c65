#include "rules/graph/graph.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/topological_sort.hpp>

namespace steelyard::rules {

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;
using Edge = boost::graph_traits<Graph>::edge_descriptor;

Graph graph_of(const std::vector<std::vector<int>>& edges) {
  Graph graph(edges.size());
  for (std::size_t from = 0; from < edges.size(); ++from) {
    for (const int to : edges[from]) boost::add_edge(from, static_cast<std::size_t>(to), graph);
  }
  return graph;
}

// Remembers the path from the root of the search, so that a back edge closes a cycle that can be named.
class CycleFinder : public boost::default_dfs_visitor {
 public:
  CycleFinder(std::vector<Vertex>& path, std::vector<std::vector<int>>& cycles) : path_(path), cycles_(cycles) {}
  void discover_vertex(Vertex vertex, const Graph&) { path_.push_back(vertex); }
  void finish_vertex(Vertex, const Graph&) { path_.pop_back(); }
  void back_edge(const Edge& edge, const Graph& graph) {
    const auto start = std::find(path_.begin(), path_.end(), boost::target(edge, graph));
    cycles_.emplace_back(start, path_.end());
  }

 private:
  std::vector<Vertex>& path_;
  std::vector<std::vector<int>>& cycles_;
};

}  // namespace

GraphOrder order_graph(const std::vector<std::vector<int>>& needs) {
  const Graph graph = graph_of(needs);
  GraphOrder result;
  std::vector<Vertex> path;
  std::vector<boost::default_color_type> colors(boost::num_vertices(graph));
  const auto color_of = boost::make_iterator_property_map(colors.begin(), boost::get(boost::vertex_index, graph));
  boost::depth_first_search(graph, boost::visitor(CycleFinder(path, result.cycles)).color_map(color_of));
  if (!result.cycles.empty()) return result;
  std::vector<Vertex> order;
  boost::topological_sort(graph, std::back_inserter(order), boost::color_map(color_of));  // needed nodes come first, since edges point to them
  result.order.assign(order.begin(), order.end());
  return result;
}

std::vector<int> reachable_from(const std::vector<std::vector<int>>& edges, int start) {
  const Graph graph = graph_of(edges);
  std::vector<boost::default_color_type> colors(edges.size());
  const auto map = boost::make_iterator_property_map(colors.begin(), boost::get(boost::vertex_index, graph));
  boost::breadth_first_search(graph, static_cast<Vertex>(start), boost::color_map(map));
  std::vector<int> found;
  for (std::size_t at = 0; at < colors.size(); ++at) {
    if (colors[at] == boost::black_color && static_cast<int>(at) != start) found.push_back(static_cast<int>(at));
  }
  return found;
}

}  // namespace steelyard::rules
