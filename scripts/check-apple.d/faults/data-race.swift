// A value that is not `Sendable`, used by two tasks.
final class Counter {
    var count = 0
}

func increment(_ counter: Counter) {
    Task {  // fault: passing closure as a 'sending' parameter
        counter.count += 1
    }
}
