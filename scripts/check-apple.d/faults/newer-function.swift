// `withDiscardingTaskGroup` requires iOS 17.
func run() async {
    await withDiscardingTaskGroup { _ in }  // fault: 'withDiscardingTaskGroup(
}
