extension Rate {
    /// The most events that the rate allows within a time, or fewer if the time is shorter than the window.
    fileprivate func most(within time: Duration) -> Int {
        count * max(1, Int((time / window).rounded(.up)))
    }
}

extension [Rate] {
    /// The most events that all of the rates together allow within a time, or `nil` if there is no rate.
    package func most(within time: Duration) -> Int? {
        map { $0.most(within: time) }.min()
    }
}
