// `AsyncSequence.Failure` requires iOS 18.
func failure<Sequence: AsyncSequence>(of _: Sequence.Type) -> Sequence.Failure.Type {  // fault: 'Failure' is only available in
    Sequence.Failure.self
}
