// What makes and checks the packages. A module of its own, so that none of it enters the graph of the service.
module causeway/tools/package

go 1.26.8
