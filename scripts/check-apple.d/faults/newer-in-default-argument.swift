// Availability is checked in default arguments, too.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
public func newer() -> Int { 1 }

public func older(_ value: Int = newer()) -> Int { value }  // fault: 'newer()' is only available in
