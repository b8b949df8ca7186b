// Times MPI_Allreduce: mpirun -n PEERS open_mpi_all_reduce BYTES. One row for compare_open_mpi.sh.
#include <mpi.h>

#include "bench/all_reduce_row.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (bytes < sizeof(float)) {
    std::fprintf(stderr, "usage: mpirun -n PEERS open_mpi_all_reduce BYTES\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  std::vector<float> input(bytes / sizeof(float), 1.0F);
  std::vector<float> output(input.size());
  const auto call = [&] {
    MPI_Allreduce(input.data(),
                  output.data(),
                  static_cast<int>(input.size()),
                  MPI_FLOAT,
                  MPI_SUM,
                  MPI_COMM_WORLD);
  };
  const std::size_t calls = starling::bench::calls_for(bytes);
  std::vector<double> seconds_per_call;
  call();
  for (int batch = 0; batch < starling::bench::kBatches; ++batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (std::size_t k = 0; k < calls; ++k) {
      call();
    }
    seconds_per_call.push_back((MPI_Wtime() - start) / static_cast<double>(calls));
  }
  if (rank == 0) {
    starling::bench::print_row(seconds_per_call);
  }
  MPI_Finalize();
  return 0;
}
