// A protocol as a type, without `any`.
func describe(_ value: CustomStringConvertible) -> String {  // fault: must be written 'any CustomStringConvertible'
    value.description
}
