//! The engine that does nothing, to measure everything else.

use super::{Engine, OperationError, Target};

pub struct NullEngine;

impl Engine for NullEngine {
    fn create(&mut self, _: Target<'_>, _: u64) -> Result<(), OperationError> {
        Ok(())
    }

    fn read(&mut self, _: Target<'_>, _: u64, _: Option<&[u64]>) -> Result<(), OperationError> {
        Ok(())
    }

    fn append(&mut self, _: Target<'_>, _: u64, _: u64) -> Result<(), OperationError> {
        Ok(())
    }

    fn delete(&mut self, _: Target<'_>) -> Result<(), OperationError> {
        Ok(())
    }
}
